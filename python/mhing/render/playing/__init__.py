"""What the pictures of games with playing cards share."""
