'use client';

import { useEffect, useState } from 'react';
import { Button } from '@/app/_components/button';
import type { FailoverMoment } from '@/lib/views/failover/schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { failoverParams } from './search-params';

/** Duration of a simulated second during playback. */
const playedSecondMs = 400;

interface SecondBarProps {
  readonly moments: readonly FailoverMoment[];
  readonly seconds: number;
}

export function SecondBar({ moments, seconds }: SecondBarProps) {
  const { query, setQuery } = useClientViewQuery(failoverParams);
  const { second } = query;
  const [isPlaying, setPlaying] = useState(false);
  const isAtEnd = second >= seconds;
  // A single time is shown already, and leaves nothing to choose.
  const choices = moments.length === 1 && moments[0]?.second === second ? [] : moments;

  useEffect(() => {
    if (!isPlaying) return;
    if (isAtEnd) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => setQuery({ second: second + 1 }), playedSecondMs);
    return () => clearTimeout(timer);
  }, [isPlaying, isAtEnd, second, setQuery]);

  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button
        icon={isPlaying ? 'pause' : 'play'}
        onPress={() => {
          if (isAtEnd) setQuery({ second: 0 });
          setPlaying(!isPlaying);
        }}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <label className="flex min-w-0 flex-[1_1_14rem] items-center gap-2 note md:max-w-md">
        Second
        <input
          type="range"
          min={0}
          max={seconds}
          value={Math.min(second, seconds)}
          onChange={({ target }) => {
            setPlaying(false);
            setQuery({ second: Number(target.value) });
          }}
          className="min-w-0 flex-1 accent-(--accent)"
        />
        <output className="w-14 text-right font-medium text-text tabular-nums">{second} s</output>
      </label>
      <ol aria-label="Times with events" className="flex min-w-0 flex-wrap gap-1">
        {choices.map((moment) => (
          <li key={moment.second}>
            <button
              type="button"
              aria-current={moment.second === second ? 'step' : undefined}
              title={moment.changes.join('; ') || moment.grpc.sentences[0]}
              onClick={() => {
                setPlaying(false);
                setQuery({ second: moment.second });
              }}
              className="h-7 min-w-7 rounded border border-line bg-raised px-1.5 text-tiny tabular-nums hover:bg-hover aria-[current]:border-accent aria-[current]:bg-accent-soft aria-[current]:font-semibold"
            >
              {moment.second} s
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
