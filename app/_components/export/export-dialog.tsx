'use client';

import { useState } from 'react';
import { searchOf } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import { Dialog } from '@/app/_components/dialog';
import { SelectField } from '@/app/_components/select-field';
import { TextField } from '@/app/_components/text-field';
import { apiRoot } from '@/app/_hooks/api-client';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';
import { findTime } from '@/lib/format/iso-time';

const ranges = [
  { value: 'all', label: 'Everything in the log', minutes: null },
  { value: '5', label: 'The last 5 minutes', minutes: 5 },
  { value: '60', label: 'The last hour', minutes: 60 },
  { value: '1440', label: 'The last 24 hours', minutes: 1440 },
  { value: 'chosen', label: 'From … to …', minutes: null },
] as const;
type Range = (typeof ranges)[number]['value'];

interface ExportDialogProps {
  readonly clientId?: string | undefined;
  readonly onClose: () => void;
}

export function ExportDialog({ clientId, onClose }: ExportDialogProps) {
  const [range, setRange] = useState<Range>('all');
  // The time of opening, so that relative ranges do not move.
  const [openedAt] = useState(() => Date.now());
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const minutes = ranges.find(({ value }) => value === range)?.minutes ?? null;
  const chosen =
    range === 'chosen'
      ? { from: findTime(from), to: findTime(to) }
      : { from: minutes === null ? undefined : openedAt - minutes * 60_000 };
  const isOdd = range === 'chosen' && [from, to].some((text) => text !== '' && findTime(text) === undefined);
  const question = { ...chosen, ...(clientId !== undefined && { client: clientId }) };
  const query = String(searchOf(question));
  const { data: estimate, error } = useQuestion('export/estimate', question, { placeholderData: undefined });
  return (
    <Dialog title={clientId === undefined ? 'Export the log' : 'Export this client'} isOpen onClose={onClose}>
      <p className="text-muted">
        A <span className="font-mono">.xdscope</span> file, which any xdscope can import under Sources or open
        with <span className="font-mono">npm start -- open FILE</span>. Secrets are excluded.
      </p>
      <SelectField label="Range" value={range} options={ranges} onChange={setRange} />
      {range === 'chosen' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="From" value={from} onChange={setFrom} placeholder="2026-11-21T11:04:07Z" isMono />
          <TextField label="To" value={to} onChange={setTo} placeholder="now" isMono />
        </div>
      )}
      <p aria-live="polite" className={error === null && !isOdd ? 'text-muted' : 'text-nacked'}>
        {isOdd
          ? 'Expected a time such as 2026-11-21T11:04:07Z.'
          : error !== null
            ? error.message
            : estimate === undefined
              ? 'Estimating size …'
              : `${formatCounted(estimate.observations, 'observation')}, about ${formatBytes(estimate.sizeBytes)}.`}
      </p>
      <div className="flex justify-end">
        <a
          href={`${apiRoot}/export?${query}`}
          download
          onClick={onClose}
          className="inline-flex h-8 items-center rounded-md border border-accent bg-accent px-2.5 text-medium font-medium text-on-accent hover:opacity-90"
        >
          Download
        </a>
      </div>
    </Dialog>
  );
}
