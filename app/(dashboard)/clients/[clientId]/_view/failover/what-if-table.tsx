'use client';

import { type ReactNode, useState } from 'react';
import type { FailoverChange, FailoverMoment, FailoverSimulation } from '@/lib/api/failover';
import { formatCounted } from '@/lib/format/count';
import { type EndpointCondition, endpointConditions } from '@/lib/lb/simulator/endpoint-condition';
import { keyed } from '../resolved/keyed';
import { NumberBox } from './number-box';

interface WhatIfTableProps {
  readonly simulation: FailoverSimulation;
  readonly moment: FailoverMoment;
  /** When it is done. */
  readonly second: number;
  readonly onChange: (change: FailoverChange) => void;
}

/** Priorities, localities and endpoints, and what can be done to each at the second in sight. */
export function WhatIfTable({ simulation, moment, second, onChange }: WhatIfTableProps) {
  const condition = (target: Target, to: EndpointCondition): void =>
    onChange({ kind: 'condition', at: second, target, to });
  return (
    <section
      aria-label="What if"
      className="flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-raised"
    >
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2">
        <h2 className="text-[0.9286rem] font-semibold">What if, at {second} s</h2>
        <NumberBox
          label="Overprovisioning factor, per cent (Envoy)"
          value={moment.overprovisioningFactor}
          least={1}
          most={10_000}
          onChange={(percent) => onChange({ kind: 'factor', at: second, percent })}
        />
      </header>
      <ul className="divide-y divide-line">
        {simulation.priorities.map((priority, p) => (
          <li key={priority.name}>
            <Line depth={0} name={priority.name} detail={formatCounted(priority.endpointsTotal, 'endpoint')}>
              <ConditionSelect
                label={priority.name}
                value={commonOf((moment.conditions[p] ?? []).flat())}
                onChange={(to) => condition({ priority: p }, to)}
              />
            </Line>
            <ul>
              {priority.localities.map((locality, l) => {
                const target = { priority: p, locality: locality.name };
                const own = moment.conditions[p]?.[l] ?? [];
                return (
                  <LocalityLines
                    key={locality.name}
                    name={locality.name}
                    where={`${priority.name}, ${locality.name}`}
                    locality={locality}
                    conditions={own}
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
                  name={`${priority.localitiesTotal - priority.localities.length} more localities`}
                  detail="not listed one by one; the priority as a whole has them, too"
                />
              )}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Target = Extract<FailoverChange, { kind: 'condition' }>['target'];

interface LocalityLinesProps {
  readonly name: string;
  readonly where: string;
  readonly locality: FailoverSimulation['priorities'][number]['localities'][number];
  readonly conditions: readonly EndpointCondition[];
  readonly weight: number | null;
  readonly onWeight: (weight: number) => void;
  /** Without an address: all of it. */
  readonly onCondition: (to: EndpointCondition, address?: string) => void;
}

/** More than these are folded until somebody wants them. */
const endpointsOpen = 8;

function LocalityLines({
  name,
  where,
  locality,
  conditions,
  weight,
  onWeight,
  onCondition,
}: LocalityLinesProps) {
  const { endpoints, endpointsTotal } = locality;
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? endpoints : endpoints.slice(0, endpointsOpen);
  return (
    <li>
      <Line depth={1} name={name} detail={formatCounted(endpointsTotal, 'endpoint')}>
        <NumberBox
          label={`Weight of ${where}`}
          text="weight"
          value={weight}
          least={0}
          most={4_294_967_295}
          onChange={onWeight}
        />
        <ConditionSelect label={where} value={commonOf(conditions)} onChange={(to) => onCondition(to)} />
      </Line>
      <ul>
        {/* One address may be there twice: that is what the resource says. */}
        {keyed(shown, ({ address }) => address).map(
          ({ key, place, item: { address, health, weight: own } }) => (
            <li key={key}>
              <Line depth={2} name={address} detail={`EDS: ${health}, weight ${own}`} isMono>
                <ConditionSelect
                  label={`${where}, ${address}`}
                  value={conditions[place - 1] ?? null}
                  onChange={(to) => onCondition(to, address)}
                />
              </Line>
            </li>
          ),
        )}
      </ul>
      {endpoints.length > endpointsOpen && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="ml-12 h-7 text-[0.8571rem] text-accent underline underline-offset-2"
        >
          {isOpen ? 'Fewer' : `${endpoints.length - endpointsOpen} more endpoints`}
        </button>
      )}
      {endpointsTotal > endpoints.length && (
        <Line depth={2} name={`${endpointsTotal - endpoints.length} more`} detail="not listed one by one" />
      )}
    </li>
  );
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
    <div className={`flex min-h-8 flex-wrap items-center gap-x-3 gap-y-0.5 py-0.5 pr-3 ${indents[depth]}`}>
      <span
        className={`min-w-0 break-words [overflow-wrap:anywhere] ${isMono ? 'font-mono text-[0.8571rem]' : 'text-[0.9286rem]'} ${depth === 0 ? 'font-semibold' : ''}`}
      >
        {name}
      </span>
      <span className="text-[0.7857rem] text-muted">{detail}</span>
      <span className="ml-auto flex flex-wrap items-center gap-2">{children}</span>
    </div>
  );
}

interface ConditionSelectProps {
  readonly label: string;
  /** null: not all are alike. */
  readonly value: EndpointCondition | null;
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
      className={`h-7 rounded-md border bg-raised px-1.5 text-[0.8571rem] ${value === 'healthy' || value === null ? 'border-line-strong/60' : 'border-nacked font-medium text-nacked'}`}
    >
      {value === null && (
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

function commonOf(conditions: readonly EndpointCondition[]): EndpointCondition | null {
  const [first] = conditions;
  return first !== undefined && conditions.every((each) => each === first) ? first : null;
}
