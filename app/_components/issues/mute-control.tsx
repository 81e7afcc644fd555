'use client';

import { useId } from 'react';
import type { Issue } from '@/lib/api/issues';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../button';
import { ErrorLine } from '../error-line';
import { TimeAgo } from '../time-ago';

const hourMs = 3_600_000;
const periods = [
  { label: '1 hour', ms: hourMs },
  { label: '8 hours', ms: 8 * hourMs },
  { label: '1 day', ms: 24 * hourMs },
  { label: '7 days', ms: 7 * 24 * hourMs },
] as const;

/** Mutes an issue for a time, or ends it. A muted issue is not counted and raises no alert. */
export function MuteControl({ issue: { id, mutedUntil, title } }: { readonly issue: Issue }) {
  const mute = useCommand('POST issues/{id}/mute');
  const selectId = useId();
  return (
    <span className="ml-auto flex flex-wrap items-center gap-2">
      {mute.error !== null && <ErrorLine error={mute.error} />}
      {mutedUntil === null ? (
        <>
          <label htmlFor={selectId} className="sr-only">
            Mute: {title}
          </label>
          <select
            id={selectId}
            value=""
            disabled={mute.isPending}
            onChange={({ target }) => {
              const chosen = periods.find(({ label }) => label === target.value);
              if (chosen !== undefined) mute.mutate({ id, until: Date.now() + chosen.ms });
            }}
            className="h-7 rounded-md border border-line bg-raised px-1.5 text-small"
          >
            <option value="" disabled>
              Mute for
            </option>
            {periods.map(({ label }) => (
              <option key={label}>{label}</option>
            ))}
          </select>
        </>
      ) : (
        <>
          <span className="note">
            muted, ends <TimeAgo at={mutedUntil} />
          </span>
          <Button tone="quiet" isPending={mute.isPending} onPress={() => mute.mutate({ id, until: null })}>
            Unmute
          </Button>
        </>
      )}
    </span>
  );
}
