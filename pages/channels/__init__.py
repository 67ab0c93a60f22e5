"""Channels: what did each channel return, and how sure are we?"""
