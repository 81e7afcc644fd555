'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { useFoundClients } from '@/app/_ask/use-found-clients';
import { useItems } from '@/app/_ask/use-question';
import { type Choice, ChoiceBox } from '@/app/_components/choice-box';
import { clientChoice, clientText, quoted } from '@/app/_components/client-chooser';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import { findTime, formatIsoTime } from '@/lib/format/iso-time';
import { reportsResources } from '@/lib/observation/vantage';
import type { ClientSummary } from '@/lib/views/client/schema';
import {
  clientAddress,
  type DiffAddress,
  formatDiffAddress,
  parseDiffAddress,
} from '@/lib/views/compare/diff-address';
import { readPastedAddress, readTypedMoment } from '@/lib/views/compare/read-typed';

interface SideChooserProps {
  readonly side: 'A' | 'B';
  /** A diff address; empty: not chosen yet. */
  readonly address: string;
  readonly onChange: (address: string) => void;
}

/** One more than is shown, to know whether there are more. */
const mostFound = 51;

const sideOptions = [
  { value: 'own', label: 'Running' },
  { value: 'control-plane', label: 'Sent' },
] as const;
const agoChoices = [
  ['1 minute ago', 60_000],
  ['10 minutes ago', 600_000],
  ['1 hour ago', 3_600_000],
  ['1 day ago', 86_400_000],
] as const;

export function SideChooser({ side, address: text, onChange }: SideChooserProps) {
  const address = parseDiffAddress(text) ?? null;
  const [typed, setTyped] = useState('');
  const { data: clients = [] } = useFoundClients(quoted(typed), mostFound);
  const id = address?.what === 'client' ? address.id : '';
  const { data: chosen } = useQuery({
    ...clientDetailOptions({ clientId: id }),
    enabled: id !== '',
    retry: false,
  });
  const choices = useMemo(() => clients.map(clientChoice), [clients]);
  const change = (next: Partial<DiffAddress>) => {
    if (address !== null) onChange(formatDiffAddress({ ...address, ...next }));
  };
  return (
    <fieldset className="flex min-w-0 flex-1 flex-col gap-1.5 card p-2.5">
      <legend className="sr-only">{side}</legend>
      <ChoiceBox
        label={`${side}: client or permalink`}
        word={side}
        current={text === '' ? '' : nameOf(address, text, chosen)}
        title={address?.what === 'client' ? chosen?.nodeId : undefined}
        choices={choices}
        onSearch={setTyped}
        placeholder="client or permalink"
        onChoose={(id) => onChange(formatDiffAddress({ ...clientAddress(id), at: address?.at ?? null }))}
        onType={(pasted) => {
          const read = readPastedAddress(pasted);
          if (read === undefined) {
            return 'expected a client of the list, a permalink as in /p/ID, or an address as in client/ID@seq:4711';
          }
          onChange(formatDiffAddress(read));
          return '';
        }}
      />
      <div className="flex min-w-0 flex-wrap items-start gap-1.5">
        {address?.what === 'client' && (
          <MomentBox side={side} address={address} onChange={(at) => change({ at: at === '' ? null : at })} />
        )}
        {address !== null && address.sourceId === null && (
          <SegmentedChoice
            label={`${side}: reported by`}
            value={address.side ?? 'own'}
            options={sideOptions}
            onChange={(word) => change({ side: word === 'own' ? null : word })}
          />
        )}
        {address?.what === 'client' && (
          <SourceChoice
            side={side}
            sourceId={address.sourceId}
            reports={chosen?.reports ?? []}
            onChange={(sourceId) => change({ side: null, sourceId })}
          />
        )}
      </div>
    </fieldset>
  );
}

function nameOf(address: DiffAddress | null, text: string, client: ClientSummary | undefined): string {
  if (address === null) return text;
  if (address.what === 'permalink') return `permalink ${address.id}`;
  return client === undefined ? `client ${address.id}` : clientText(client);
}

interface SourceChoiceProps {
  readonly side: string;
  readonly sourceId: string | null;
  readonly reports: ClientSummary['reports'];
  /** null: all sources. */
  readonly onChange: (sourceId: string | null) => void;
}

/** Limits a side to one source, if several sources report the client. */
function SourceChoice({ side, sourceId, reports, onChange }: SourceChoiceProps) {
  const reported = reports.filter(reportsResources);
  // With one source there is nothing to choose.
  if (reported.length < 2 && sourceId === null) return null;
  const isListed = sourceId === null || reported.some((report) => report.sourceId === sourceId);
  return (
    <label className="flex h-8 min-w-0 flex-[1_1_13rem] items-center rounded-md border border-line-strong bg-raised pl-2.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
      <span className="note">by</span>
      <select
        aria-label={`${side}: source`}
        value={sourceId ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        className="h-full min-w-0 flex-1 rounded-r-md bg-raised pl-1.5 font-mono text-medium outline-none"
      >
        <option value="">all sources</option>
        {!isListed && <option value={sourceId}>{sourceId}</option>}
        {reported.map(({ sourceId: id, side: whose }) => (
          <option key={`${id} ${whose}`} value={id}>
            {id} ({whose === 'client' ? 'holds' : 'was sent'})
          </option>
        ))}
      </select>
    </label>
  );
}

interface MomentBoxProps {
  readonly side: string;
  readonly address: DiffAddress | null;
  readonly onChange: (at: string) => void;
}

function MomentBox({ side, address, onChange }: MomentBoxProps) {
  const timeZone = useTimeZone();
  const { data: pins = [] } = useItems('pins', {});
  const choices = useMemo((): Choice[] => {
    const own = pins.filter(({ clientId }) => clientId === undefined || clientId === address?.id);
    return [
      { id: '', text: 'now' },
      ...agoChoices.map(([text, agoMs]) => ({ id: `ago ${agoMs}`, text })),
      ...own.flatMap(({ id, from, to, label }): Choice[] => [
        {
          id: `${formatIsoTime(from)} `,
          text: `${label}: begins`,
          hint: formatExactTime(from, timeZone),
        },
        ...(to === from
          ? []
          : [
              {
                id: `${formatIsoTime(to)}  ${id}`,
                text: `${label}: ends`,
                hint: formatExactTime(to, timeZone),
              },
            ]),
      ]),
    ];
  }, [pins, address?.id, timeZone]);
  return (
    <ChoiceBox
      label={`${side}: moment`}
      word="at"
      className="flex-[1_1_13rem]"
      current={momentText(address?.at ?? '', timeZone)}
      choices={choices}
      placeholder="now"
      onChoose={(id) => {
        const [, agoMs] = /^ago (\d+)$/.exec(id) ?? [];
        onChange(agoMs === undefined ? (id.split(' ')[0] ?? '') : formatIsoTime(Date.now() - Number(agoMs)));
      }}
      onType={(typed) => {
        const at = readTypedMoment(typed);
        if (at === undefined)
          return 'expected now, a time as in 2026-11-21 11:04:07, or an event as in seq:4711';
        onChange(at);
        return '';
      }}
    />
  );
}

function momentText(at: string, timeZone: string): string {
  if (at === '') return 'now';
  const time = findTime(at);
  return time === undefined ? at : formatExactTime(time, timeZone);
}
