import type { ResourceRowJson } from '@/lib/views/resources/row-schema';

const meanings = {
  warming: 'Not in use yet: Envoy waits for its dependencies.',
  draining: 'Draining: existing connections are allowed to finish.',
} as const;

/** The stages that the state of the row does not state. */
export function StageMark({
  state,
  stage,
  otherVersions = [],
}: Pick<ResourceRowJson, 'state' | 'stage' | 'otherVersions'>) {
  const others = otherVersions.map((other) => other.stage);
  const waiting = stage === 'active' || stage?.toUpperCase() === state ? undefined : stage;
  if (waiting === undefined && others.length === 0) return null;
  return (
    <span className="shrink-0 text-[0.7857em] whitespace-nowrap text-timeout">
      {waiting !== undefined && <span title={meanings[waiting]}>{waiting}</span>}
      {waiting !== undefined && others.length > 0 && ' '}
      {others.length > 0 && (
        <span title={`Envoy also holds a version that is ${others.join(', and one that is ')}.`}>
          + {others.join(', ')}
        </span>
      )}
    </span>
  );
}
