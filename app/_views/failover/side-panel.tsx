'use client';

import { useMemo, useRef } from 'react';
import { FlowDrawing } from '@/app/_drawings/failover/flow-drawing';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { formatSentence } from '@/lib/format/sentence';
import { formatShare } from '@/lib/format/share';
import { buildFlow, type FlowSide } from '@/lib/views/failover/build-flow';
import { layoutFlow } from '@/lib/views/failover/layout-flow';
import type { FailoverMoment, FailoverSimulation } from '@/lib/views/failover/schema';
import { nameOf } from '@/lib/xds/profile';

interface SidePanelProps {
  readonly side: FlowSide;
  readonly simulation: FailoverSimulation;
  readonly moment: FailoverMoment;
  /** The current second, at or after `moment`. */
  readonly second: number;
}

/** The behavior of one kind of client: priorities, flow to endpoints, and explanations. */
export function SidePanel({ side, simulation, moment, second }: SidePanelProps) {
  const holder = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(holder);
  const { priorities, retriedOn, profile, dropPercent } = simulation;
  const policies = [...new Set(priorities.map(({ policy }) => policy))].join(', ');
  const layout = useMemo(
    () => (widthPx === 0 ? null : layoutFlow(buildFlow({ priorities, retriedOn }, moment, side), widthPx)),
    [priorities, retriedOn, moment, side, widthPx],
  );
  const isGrpc = side === 'grpc';
  const title = isGrpc ? `gRPC: ${nameOf(profile)}` : 'Envoy';
  const settings = isGrpc
    ? ['one priority at a time, by connections', policies].filter((part) => part !== '').join('; ')
    : describeEnvoy(simulation, moment);
  return (
    <section aria-label={title} className="flex min-w-0 flex-col overflow-hidden card">
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
        <h2 className="text-medium font-semibold">{title}</h2>
        <p className="note">{settings}</p>
      </header>
      <PriorityBars side={side} simulation={simulation} moment={moment} second={second} />
      <ol aria-label={`Why, by ${isGrpc ? 'gRPC' : 'Envoy'}`} className="flex flex-col gap-0.5 px-3 pb-2">
        {moment[side].sentences.map((sentence) => (
          <li key={sentence} className="text-medium">
            {priorities.some(({ name }) => sentence.startsWith(name))
              ? `${sentence}.`
              : formatSentence(sentence)}
          </li>
        ))}
        {!isGrpc &&
          simulation.envoyNotes.map((note) => (
            <li key={note} className="text-medium text-muted">
              {formatSentence(note)}
            </li>
          ))}
        {dropPercent > 0 && (
          <li className="text-medium text-muted">
            {formatShare(dropPercent / 100)} of all requests are dropped first; shares refer to the rest.
          </li>
        )}
      </ol>
      <div className="min-w-0 border-t border-line p-3">
        <div ref={holder} className="min-w-0">
          {layout !== null && (
            <FlowDrawing
              layout={layout}
              label={`Where ${!isGrpc && retriedOn.length > 0 ? 'attempts' : 'requests'} go, by ${title}`}
            />
          )}
        </div>
      </div>
    </section>
  );
}

function describeEnvoy(
  { priorities, panicThreshold }: FailoverSimulation,
  { envoy }: FailoverMoment,
): string {
  const factors = listPercents(envoy.priorities.map((each) => each.overprovisioningFactor));
  const thresholds = listPercents([panicThreshold, ...priorities.map((each) => each.panicThreshold)]);
  return `by health; ${factors === '' ? '' : `overprovisioning ${factors}, `}panic below ${thresholds}`;
}

/** Each value once: the leaf clusters of an aggregate can have different ones. */
function listPercents(values: readonly number[]): string {
  return [...new Set(values)].map((value) => `${value}%`).join(' or ');
}

function PriorityBars({ side, simulation, moment, second }: SidePanelProps) {
  return (
    <ul aria-label="Priorities" className="flex flex-col gap-1 px-3 py-2">
      {simulation.priorities.map(({ name, isConnected = false, hasHosts = false }, at) => {
        const load = moment[side].priorities[at]?.load ?? 0;
        return (
          <li key={name} className="grid grid-cols-[minmax(3rem,auto)_1fr_3.5rem] items-center gap-x-2">
            <span className="truncate text-small font-medium" title={name}>
              {name}
            </span>
            <span className="relative h-4 overflow-hidden rounded-sm bg-sunken">
              <span
                className="absolute inset-y-0 left-0 bg-(--type-cluster) opacity-40 transition-[width]"
                style={{ width: `${load * 100}%` }}
              />
              <span className="absolute inset-y-0 left-1.5 flex items-center text-tiny whitespace-nowrap">
                {side === 'grpc'
                  ? grpcState(moment, at, second, isConnected)
                  : envoyState(moment, at, hasHosts)}
              </span>
            </span>
            <span className="text-right text-small font-semibold tabular-nums">{formatShare(load)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function grpcState(moment: FailoverMoment, at: number, second: number, isConnected: boolean): string {
  const reported = moment.grpc.priorities[at];
  if (reported === undefined || reported.state === undefined) return 'not tried';
  const passed = second - moment.second;
  const { state, ready, wanted, failoverIn, deactivateIn } = reported;
  const isAssumed = state === 'READY' && !isConnected;
  const connected =
    wanted === 0
      ? `${state}, no usable endpoint`
      : isAssumed
        ? `READY if it connects, ${ready} of ${wanted} usable`
        : `${state}, ${ready} of ${wanted} connected`;
  if (failoverIn !== undefined) return `${connected}, ${Math.max(0, failoverIn - passed)} s left`;
  return deactivateIn === undefined
    ? connected
    : `${connected}, kept for ${Math.max(0, deactivateIn - passed)} s`;
}

function envoyState(moment: FailoverMoment, at: number, hasHosts: boolean): string {
  const reported = moment.envoy.priorities[at];
  if (reported === undefined) return '';
  const { healthy, degraded, total, excluded, isPanic, healthyAvailability, degradedAvailability } = reported;
  const hosts = [
    `${healthy} of ${total} ${hasHosts ? 'healthy' : 'taken as healthy'}`,
    ...(degraded > 0 ? [`${degraded} degraded`] : []),
    ...(excluded > 0 ? [`${excluded} draining`] : []),
  ].join(', ');
  const available = `${Math.min(100, healthyAvailability + degradedAvailability)}% available`;
  return `${hosts}, ${available}${isPanic ? ', panic' : ''}`;
}
