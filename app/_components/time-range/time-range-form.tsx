'use client';

import { type FormEvent, useState } from 'react';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatTimeEdge, type TimeEdge, type TimeProblem } from '@/lib/time/time-expression';
import {
  formatTimeRange,
  isSameRange,
  parseTimeRange,
  type TimeRange,
  timePresets,
} from '@/lib/time/time-range';
import { useTimeZone } from '../../_hooks/use-time-zone';
import { Button } from '../button';
import { TextField } from '../text-field';

interface TimeRangeFormProps {
  readonly range: TimeRange;
  readonly onChoose: (range: TimeRange) => void;
}

/** Presets beside two typed times. */
export function TimeRangeForm({ range, onChoose }: TimeRangeFormProps) {
  const timeZone = useTimeZone();
  const write = (edge: TimeEdge) =>
    edge.kind === 'absolute' ? formatExactTime(edge.at, timeZone).slice(0, 23) : formatTimeEdge(edge);
  const [from, setFrom] = useState(write(range.from));
  const [to, setTo] = useState(write(range.to));
  const [problem, setProblem] = useState<TimeProblem | null>(null);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const text = to.trim() === '' ? from : `${from} to ${to}`;
    const parsed = parseTimeRange(text, { now: Date.now(), timeZone });
    if (parsed.ok) onChoose(parsed.range);
    else setProblem(parsed.problem);
  };
  return (
    <div className="flex max-sm:flex-col">
      <ul aria-label="Presets" className="flex flex-col gap-0.5 border-line p-2 max-sm:border-b sm:border-r">
        {timePresets.map((preset) => {
          const text = formatTimeRange(preset, String);
          const isCurrent = isSameRange(preset, range);
          return (
            <li key={text}>
              <button
                type="button"
                aria-pressed={isCurrent}
                onClick={() => onChoose(preset)}
                className={`h-7 w-full rounded px-2 text-left text-medium whitespace-nowrap hover:bg-hover ${isCurrent ? 'bg-accent-soft font-medium' : ''}`}
              >
                {text}
              </button>
            </li>
          );
        })}
      </ul>
      <form onSubmit={apply} className="flex w-72 max-w-full flex-col gap-2 p-3">
        <TextField label="From" value={from} onChange={setFrom} isMono takesFocus />
        <TextField label="To" value={to} onChange={setTo} isMono />
        {problem !== null && (
          <p role="alert" className="text-small break-words text-nacked">
            Expected {problem.expected}; got “{problem.actual}”.
          </p>
        )}
        <p className="note">
          As in now-15m, 20:54:25, yesterday 03:04, 2026-11-22 20:54 or oldest. Times are in {timeZone}.
        </p>
        <div className="flex gap-2">
          <Button type="submit" tone="accent">
            Show this range
          </Button>
        </div>
      </form>
    </div>
  );
}
