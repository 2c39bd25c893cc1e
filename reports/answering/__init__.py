"""What commands share: options, the questions behind them, progress and Ctrl-C."""
