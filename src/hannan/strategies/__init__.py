"""What players do, and how it is kept: profiles, policies, their files, locks."""
