import enum
enum.bltns.exec('1')
