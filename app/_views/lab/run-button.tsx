'use client';

import { Button } from '@/app/_components/button';

interface RunButtonProps {
  /** The object, as in "Stop shop-web". */
  readonly what: string;
  readonly isRunning: boolean;
  readonly isPending: boolean;
  readonly onRun: (running: boolean) => void;
}

export function RunButton({ what, isRunning, isPending, onRun }: RunButtonProps) {
  const word = isRunning ? 'Stop' : 'Start';
  return (
    <Button
      tone="quiet"
      icon={isRunning ? 'pause' : 'play'}
      isPending={isPending}
      onPress={() => onRun(!isRunning)}
      label={`${word} ${what}`}
      className="h-6.5 w-18"
    >
      {word}
    </Button>
  );
}
