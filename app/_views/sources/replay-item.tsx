'use client';

import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { CopyButton } from '@/app/_components/copy-button';
import { ErrorLine } from '@/app/_components/error-line';
import { SelectField } from '@/app/_components/select-field';
import { formatCounted } from '@/lib/format/count';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { Replay } from '@/lib/views/recording/replay-schema';
import { buildGrpcBootstrap } from '@/lib/views/sources/build-grpc-bootstrap';
import { formatResourceType } from '@/lib/xds/resource-type';

type Step = Replay['steps'][number];

const speeds = [
  { value: '1', label: 'as recorded', speed: 1 },
  { value: '10', label: '10 times as fast', speed: 10 },
  { value: '100', label: '100 times as fast', speed: 100 },
  { value: 'answers', label: 'as clients respond', speed: undefined },
] as const;

/** One replay: its address, its progress, and how responses of clients compare with the recording. */
export function ReplayItem({ replay }: { readonly replay: Replay }) {
  const change = useCommand('PATCH replays/{id}');
  const remove = useCommand('DELETE replays/{id}');
  const { id, label, mode, address, playing, step, stepCount, clients, same, differs, notes } = replay;
  const speed = speeds.find((each) => each.speed === replay.speed)?.value ?? '1';
  const bootstrap = buildGrpcBootstrap(address, replay.nodeId, 'plain');
  const isAtEnd = step >= stepCount - 1;
  return (
    <li className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 font-medium break-all">{label}</span>
        <span className="text-muted">{mode === 'stream' ? 'streams' : 'snapshot'}, served on</span>
        <span className="font-mono">{address}</span>
        <CopyButton text={address} label={`Copy the address of the replay of ${label}`} />
        <Button
          tone="quiet"
          icon="trash"
          className="ml-auto"
          label={`End the replay of ${label}`}
          isPending={remove.isPending}
          onPress={() => remove.mutate({ id })}
        >
          End
        </Button>
      </div>
      <div className="flex flex-wrap items-end gap-2">
        {isAtEnd ? (
          <Button icon="play" onPress={() => change.mutate({ id, step: 0, playing: true })}>
            Play again
          </Button>
        ) : (
          <Button icon={playing ? 'pause' : 'play'} onPress={() => change.mutate({ id, playing: !playing })}>
            {playing ? 'Pause' : 'Play'}
          </Button>
        )}
        <Button isDisabled={step <= 0} onPress={() => change.mutate({ id, by: -1, playing: false })}>
          Previous
        </Button>
        <Button isDisabled={isAtEnd} onPress={() => change.mutate({ id, by: 1 })}>
          Next
        </Button>
        <SelectField
          label="Pace"
          value={speed}
          options={speeds}
          onChange={(value) => {
            const chosen = speeds.find((each) => each.value === value)?.speed ?? null;
            change.mutate({ id, speed: chosen });
          }}
        />
        <p aria-live="polite" className="pb-1.5 tabular-nums">
          {step < 0
            ? `${formatCounted(stepCount, 'step')}, none served yet`
            : `Step ${step + 1} of ${stepCount}`}
          {isAtEnd && ', the end'}
          {playing && !isAtEnd && clients.length === 0 && ', starts with the first client'}
        </p>
      </div>
      <p className="text-muted">
        {clients.length === 0 ? 'No client is connected.' : `Connected: ${countClients(clients)}.`}{' '}
        <span className={differs > 0 ? 'text-nacked' : undefined}>
          {same} responses as recorded, {differs} different.
        </span>
      </p>
      <StepTable steps={replay.steps} newest={step} onServe={(index) => change.mutate({ id, step: index })} />
      <ErrorLine error={change.error} />
      <details>
        <summary className="cursor-pointer text-muted">Bootstrap for this replay</summary>
        <div className="relative mt-1 rounded-md border border-line bg-sunken">
          <CopyButton text={bootstrap} label="Copy the bootstrap" className="absolute top-1.5 right-1.5" />
          <code className="block px-3 py-2 pr-9 text-small break-all whitespace-pre-wrap">{bootstrap}</code>
        </div>
      </details>
      {notes.map((note) => (
        <p key={note} className="break-words text-muted">
          {note}
        </p>
      ))}
    </li>
  );
}

/** Equal node IDs are several clients or several streams of one. */
function countClients(nodeIds: Replay['clients']): string {
  const counts = new Map<string, number>();
  for (const nodeId of nodeIds) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  return [...counts]
    .map(([nodeId, count]) => (count === 1 ? nodeId : `${nodeId} (${count} streams)`))
    .join(', ');
}

interface StepTableProps {
  readonly steps: readonly Step[];
  readonly newest: number;
  readonly onServe: (index: number) => void;
}

function StepTable({ steps, newest, onServe }: StepTableProps) {
  return (
    <div className="max-h-72 overflow-auto rounded-md border border-line">
      <table className="w-full text-small">
        <thead className="text-left text-muted">
          <tr>
            <th className="px-2 py-1 text-right font-medium">Step</th>
            <th className="px-2 py-1 font-medium">Recorded</th>
            <th className="px-2 py-1 font-medium">Response</th>
            <th className="px-2 py-1 font-medium">Recorded answer</th>
            <th className="px-2 py-1 font-medium">Replayed answer</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr
              key={step.index}
              aria-current={step.index === newest ? 'step' : undefined}
              className="border-t border-line align-top aria-[current]:bg-hover"
            >
              <td className="px-2 py-1 text-right tabular-nums">
                <button
                  type="button"
                  aria-label={`Serve step ${step.index + 1}`}
                  className="rounded underline decoration-dotted hover:text-accent"
                  onClick={() => onServe(step.index)}
                >
                  {step.index + 1}
                </button>
              </td>
              <td className="px-2 py-1 whitespace-nowrap tabular-nums">
                {formatIsoTime(step.at).replace('T', ' ')}
              </td>
              <td className="px-2 py-1">{describeResponse(step)}</td>
              <td className="px-2 py-1 break-words">{describeAnswer(step.recorded)}</td>
              <td className={`px-2 py-1 break-words ${step.comparison === 'differs' ? 'text-nacked' : ''}`}>
                {step.comparison === 'same' && '✓ same: '}
                {step.comparison === 'differs' && '✕ differs: '}
                {describeAnswer(step.replayed)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function describeResponse({ types }: Step): string {
  return types
    .map(({ typeUrl, versionInfo, resources, removed }) => {
      const version = versionInfo === '' ? '' : ` ${versionInfo}`;
      const gone = removed === 0 ? '' : `, ${removed} removed`;
      return `${formatResourceType(typeUrl)}${version}: ${formatCounted(resources, 'resource')}${gone}`;
    })
    .join('; ');
}

function describeAnswer(answer: Step['recorded']): string {
  if (answer === undefined) return 'none';
  return answer.isAccepted ? 'ACK' : `NACK: ${answer.errorDetail}`;
}
