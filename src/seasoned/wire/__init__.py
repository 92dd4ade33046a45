"""The providers' wire formats, and the companion that lets any conversation in them learn."""
