'use client';

import { formatCount } from '@/lib/format/count';
import { Button } from './button';

interface TailControlProps {
  readonly isPaused: boolean;
  readonly onChange: (isPaused: boolean) => void;
  /** New items that are held back; 0 if they are not counted. */
  readonly waiting?: number;
  readonly hasMoreWaiting?: boolean;
}

export function TailControl({ isPaused, onChange, waiting = 0, hasMoreWaiting = false }: TailControlProps) {
  const count = `${hasMoreWaiting ? 'more than ' : ''}${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
  return (
    <div className="flex items-center gap-2">
      {isPaused && (
        <span role="status" className="text-small text-timeout">
          paused{waiting > 0 && `, ${count}`}
        </span>
      )}
      <Button icon={isPaused ? 'play' : 'pause'} onPress={() => onChange(!isPaused)} className="h-7">
        {isPaused ? 'Follow' : 'Pause'}
      </Button>
    </div>
  );
}
