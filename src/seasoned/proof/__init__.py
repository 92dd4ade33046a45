"""Whether what was learned helps."""
