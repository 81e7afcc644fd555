'use client';

import { Button } from '@/app/_components/button';
import { formatCount } from '@/lib/format/count';

interface TailControlProps {
  readonly isPaused: boolean;
  readonly onChange: (isPaused: boolean) => void;
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
}

/** New events appear by themselves, unless somebody wants to read in peace: then it says how many wait. */
export function TailControl({ isPaused, onChange, waiting, hasMoreWaiting }: TailControlProps) {
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
