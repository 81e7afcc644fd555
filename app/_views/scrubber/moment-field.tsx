'use client';

import { type FormEvent, useId, useRef, useState } from 'react';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import { parseTime, resolveTime, timeExamples } from '@/lib/time/time-expression';
import type { EpochMs } from '@/lib/xds/units';

interface MomentFieldProps {
  /** The shown time; null: now. */
  readonly at: EpochMs | null;
  /** null: now. "oldest": the first event on the axis. */
  readonly onGo: (at: EpochMs | null | 'oldest') => void;
}

/** The shown time as a field: a typed time is shown after Enter. */
export function MomentField({ at, onGo }: MomentFieldProps) {
  const timeZone = useTimeZone();
  const input = useRef<HTMLInputElement>(null);
  const problemId = useId();
  /** null: not edited. */
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const shown = at === null ? 'now' : formatExactTime(at, timeZone).slice(0, 23);

  function leave(): void {
    setTyped(null);
    setProblem('');
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    const now = Date.now();
    const parsed = parseTime(typed ?? shown);
    if (!parsed.ok) {
      setProblem(`Expected ${parsed.problem.expected}; got “${parsed.problem.actual}”.`);
      return;
    }
    const time = resolveTime(parsed.time, { now, timeZone });
    if (time !== null && time > now) {
      setProblem(`Expected a time that is not in the future; got ${formatExactTime(time, timeZone)}.`);
      return;
    }
    const isNow = parsed.time.kind === 'relative' && parsed.time.offsetMs === 0;
    onGo(isNow ? null : (time ?? 'oldest'));
    leave();
    input.current?.blur();
  }
  return (
    <form onSubmit={submit} className="relative">
      <input
        ref={input}
        aria-label="Shown time"
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : problemId}
        title={`Type a time, as in ${timeExamples}; Enter shows it`}
        autoComplete="off"
        spellCheck={false}
        suppressHydrationWarning
        value={typed ?? shown}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={leave}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape') {
            leave();
            currentTarget.blur();
          }
        }}
        className="h-7 w-[13rem] rounded-md border border-line bg-raised px-2 font-mono text-small aria-invalid:border-nacked"
      />
      {problem !== '' && (
        <p
          id={problemId}
          role="alert"
          className="absolute top-full left-0 z-30 mt-1 w-max max-w-[min(28rem,calc(100vw-2rem))] card px-2 py-1 text-small break-words text-nacked shadow-[0_4px_12px_var(--shadow)]"
        >
          {problem}
        </p>
      )}
    </form>
  );
}
