from spec import reference
