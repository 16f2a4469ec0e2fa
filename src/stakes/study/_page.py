def to_markdown(record):
    return ""
