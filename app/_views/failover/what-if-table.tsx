'use client';

import type { ReactNode } from 'react';
import { useMemo, useState } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { NumberSetting } from '@/app/_components/number-setting';
import { SearchField } from '@/app/_components/search-field';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Change } from '@/lib/lb/simulator/change';
import type { EndpointCondition } from '@/lib/lb/simulator/endpoint-condition';
import { endpointConditions } from '@/lib/lb/simulator/endpoint-condition';
import type { ReportedState } from '@/lib/observation/connection-states';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { FailoverMoment, FailoverSimulation } from '@/lib/views/failover/schema';
import { ConnectionState } from '../connections/connection-state';
import { keyed } from '../resolved/keyed';

interface WhatIfTableProps {
  readonly simulation: FailoverSimulation;
  readonly moment: FailoverMoment;
  readonly second: number;
  readonly find: string;
  readonly onFind: (find: string) => void;
  readonly onChange: (change: Change) => void;
}

const endpointsUnfolded = 48;
const unknown = { healthy: 0 } as const;

export function WhatIfTable({ simulation, moment, second, find, onFind, onChange }: WhatIfTableProps) {
  const total = simulation.priorities.reduce((all, { endpointsTotal }) => all + endpointsTotal, 0);
  const isLarge = total > endpointsUnfolded;
  const states = useMeasuredStates();
  const condition = (target: Target, to: EndpointCondition): void =>
    onChange({ kind: 'condition', at: second, target, to });
  return (
    <section aria-label="What if" className="flex min-w-0 flex-col overflow-hidden card">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2">
        <h2 className="text-medium font-semibold">What if, at {second} s</h2>
        <NumberSetting
          text="Overprovisioning factor (Envoy)"
          label="Overprovisioning factor, per cent (Envoy)"
          unit="%"
          value={commonOf(moment.envoy.priorities.map((each) => each.overprovisioningFactor))}
          placeholder="mixed"
          min={1}
          max={10_000}
          onSet={(percent) => onChange({ kind: 'factor', at: second, percent })}
        />
        {(isLarge || find !== '') && (
          <SearchField
            label="Find a locality or an endpoint"
            placeholder="locality or address"
            value={find}
            onChange={onFind}
            hasShortcut={false}
            className="flex-[0_1_16rem]"
          />
        )}
      </header>
      <ul className="divide-y divide-line">
        {simulation.priorities.map((priority, p) => (
          <li key={priority.name}>
            <Line depth={0} name={priority.name} detail={formatCounted(priority.endpointsTotal, 'endpoint')}>
              {priority.endpointsTotal > 0 && (
                <ConditionSelect
                  label={priority.name}
                  value={moment.all[p]?.condition}
                  onChange={(to) => condition({ priority: p }, to)}
                />
              )}
            </Line>
            <ul>
              {priority.localities.map((locality, l) => {
                const target = { priority: p, locality: locality.name };
                const own = moment.conditions[p]?.[l] ?? [];
                if (!isFound(locality, find)) return null;
                return (
                  <LocalityLines
                    key={locality.name}
                    name={locality.name}
                    where={`${priority.name}, ${locality.name}`}
                    locality={locality}
                    conditions={own}
                    all={moment.all[p]?.localities[l] ?? unknown}
                    isFolded={isLarge}
                    find={find}
                    states={states}
                    hasHosts={priority.hasHosts === true}
                    weight={moment.weights[p]?.[l] ?? null}
                    onWeight={(weight) => onChange({ kind: 'weight', at: second, target, weight })}
                    onCondition={(to, address) =>
                      condition({ ...target, ...(address !== undefined && { address }) }, to)
                    }
                  />
                );
              })}
              {priority.localitiesTotal > priority.localities.length && (
                <Line
                  depth={1}
                  name={`${formatCount(priority.localitiesTotal - priority.localities.length)} more localities`}
                  detail="not listed; find them by name"
                />
              )}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Target = Extract<Change, { kind: 'condition' }>['target'];

interface LocalityLinesProps {
  readonly name: string;
  readonly where: string;
  readonly locality: FailoverSimulation['priorities'][number]['localities'][number];
  readonly conditions: readonly EndpointCondition[];
  readonly all: Omit<FailoverMoment['all'][number], 'localities'>;
  readonly isFolded: boolean;
  readonly find: string;
  readonly states: MeasuredStates;
  /** An Envoy reports its hosts now. */
  readonly hasHosts: boolean;
  readonly weight: number | null;
  readonly onWeight: (weight: number) => void;
  /** If `address` is absent, the condition applies to all endpoints of the locality. */
  readonly onCondition: (to: EndpointCondition, address?: string) => void;
}

const endpointsOpen = 8;

function LocalityLines({
  name,
  where,
  locality,
  conditions,
  all,
  isFolded,
  find,
  states,
  hasHosts,
  weight,
  onWeight,
  onCondition,
}: LocalityLinesProps) {
  const { endpoints, endpointsTotal } = locality;
  const [isOpen, setOpen] = useState(false);
  const lines = keyed(endpoints, ({ address }) => address);
  const found =
    find === '' || name.includes(find) ? [] : lines.filter(({ item }) => item.address.includes(find));
  const unfolded = found.length > 0 ? found : lines.slice(0, isFolded ? 0 : endpointsOpen);
  const shown = isOpen ? lines : unfolded;
  const hidden = lines.length - unfolded.length;
  const ill = endpointsTotal - all.healthy;
  const reporter = hasHosts ? 'Envoy' : 'Envoy, when last reported';
  const detail = [
    formatCounted(endpointsTotal, 'endpoint'),
    ...(isFolded && ill > 0 ? [`${formatCount(ill)} not healthy`] : []),
    ...(locality.isFailing ? ['every request failed'] : []),
  ].join(', ');
  return (
    <li>
      <Line depth={1} name={name} detail={detail}>
        {hidden > 0 && (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="h-7 text-small link"
          >
            {isOpen
              ? 'Fewer'
              : isFolded
                ? `show ${hidden} of ${formatCount(endpointsTotal)}`
                : formatCounted(hidden, 'more endpoint')}
          </button>
        )}
        <NumberSetting
          label={`Weight of ${where}`}
          text="weight"
          value={weight}
          max={4_294_967_295}
          onSet={onWeight}
        />
        {endpointsTotal > 0 && (
          <ConditionSelect label={where} value={all.condition} onChange={(to) => onCondition(to)} />
        )}
      </Line>
      <ul>
        {/* A resource may contain an address twice. */}
        {shown.map(({ key, place, item: { address, health, seenAs, failure, weight: own } }) => (
          <li key={key}>
            <Line
              depth={2}
              name={address}
              detail={`${seenAs === undefined ? `EDS: ${health}` : `${reporter}: ${seenAs || health}`}, weight ${own}${failure === 'requests' ? ', every request failed' : ''}`}
              isMono
            >
              <MeasuredState state={states.get(address)} />
              <ConditionSelect
                label={`${where}, ${address}`}
                value={conditions[place - 1]}
                onChange={(to) => onCondition(to, address)}
              />
            </Line>
          </li>
        ))}
      </ul>
      {endpointsTotal > endpoints.length && (isOpen || !isFolded) && (
        <Line depth={2} name={`${formatCount(endpointsTotal - endpoints.length)} more`} detail="not listed" />
      )}
    </li>
  );
}

function isFound({ name, endpoints }: LocalityLinesProps['locality'], find: string): boolean {
  return find === '' || name.includes(find) || endpoints.some(({ address }) => address.includes(find));
}

interface LineProps {
  readonly depth: 0 | 1 | 2;
  readonly name: string;
  readonly detail: string;
  readonly isMono?: boolean;
  readonly children?: ReactNode;
}

const indents = ['pl-3', 'pl-7', 'pl-12'] as const;

function Line({ depth, name, detail, isMono = false, children }: LineProps) {
  return (
    <div
      className={`flex min-h-8 flex-wrap items-center gap-x-3 gap-y-0.5 py-0.5 pr-3 hover:bg-hover ${indents[depth]}`}
    >
      <span
        className={`min-w-0 break-words wrap-anywhere ${isMono ? 'font-mono text-small' : 'text-medium'} ${depth === 0 ? 'font-semibold' : ''}`}
      >
        {name}
      </span>
      <span className="text-tiny text-muted">{detail}</span>
      <span className="flex flex-wrap items-center gap-2">{children}</span>
    </div>
  );
}

interface ConditionSelectProps {
  readonly label: string;
  /** Absent: mixed. */
  readonly value?: EndpointCondition | undefined;
  readonly onChange: (to: EndpointCondition) => void;
}

function ConditionSelect({ label, value, onChange }: ConditionSelectProps) {
  return (
    <select
      aria-label={`Condition of ${label}`}
      value={value ?? ''}
      onChange={({ target }) => {
        const to = endpointConditions.find((each) => each === target.value);
        if (to !== undefined) onChange(to);
      }}
      className={`h-7 rounded-md border bg-raised px-1.5 text-small ${value === 'healthy' || value === undefined ? 'border-line-strong/60' : 'border-nacked font-medium text-nacked'}`}
    >
      {value === undefined && (
        <option value="" disabled>
          mixed
        </option>
      )}
      {endpointConditions.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

function commonOf<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((each) => each === first) ? first : null;
}

/** The state for each address; undefined: clusters or priorities that share the address have several states. */
type MeasuredStates = ReadonlyMap<string, ReportedState | undefined>;

const mostEndpoints = 1_000;

/**
 * The states of connections or hosts that the client reports, beside the simulated conditions of its endpoints. What a source
 * that is no longer live reported is not known to hold now; at a moment of the past and in a file it is as it was then.
 */
function useMeasuredStates(): MeasuredStates {
  const { client } = useClientViewData();
  const { data } = useQuestion('connections', { limit: mostEndpoints });
  const isKnown =
    data?.source?.freshness === 'live' || data?.moment !== undefined || isImportedClient(client);
  return useMemo(() => {
    const states = new Map<string, ReportedState | undefined>();
    if (!isKnown) return states;
    for (const { address, connection } of data?.endpoints.items ?? []) {
      if (connection === undefined) continue;
      const { state } = connection;
      states.set(address, states.has(address) && states.get(address) !== state ? undefined : state);
    }
    return states;
  }, [data, isKnown]);
}

function MeasuredState({ state }: { readonly state: ReportedState | undefined }) {
  if (state === undefined) return null;
  return (
    <span className="note" title="Measured: the state that the client reports">
      <ConnectionState connection={{ state }} />
    </span>
  );
}
