"""Forecast: what comes next under the plan, and will it reach the goal?"""
