'use client';

import { formatCount } from '@/lib/format/count';
import { Button } from './button';

interface TailControlProps {
  readonly isPaused: boolean;
  readonly onChange: (isPaused: boolean) => void;
  /** New ones that are held back; where nobody counts them, 0. */
  readonly waiting?: number;
  readonly hasMoreWaiting?: boolean;
}

/** What is new appears by itself, unless somebody wants to read in peace: then it says how many wait. */
export function TailControl({ isPaused, onChange, waiting = 0, hasMoreWaiting = false }: TailControlProps) {
  const count = `${hasMoreWaiting ? 'more than ' : ''}${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
  return (
    <div className="flex items-center gap-2">
      {isPaused && (
        <span role="status" className="text-[0.8571rem] text-timeout">
          paused{waiting > 0 && `, ${count}`}
        </span>
      )}
      <Button icon={isPaused ? 'play' : 'pause'} onPress={() => onChange(!isPaused)} className="h-7">
        {isPaused ? 'Follow' : 'Pause'}
      </Button>
    </div>
  );
}
