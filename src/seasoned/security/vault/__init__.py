"""The vault: secrets and profiles of settings, encrypted in one file of the home folder."""
