int état;
