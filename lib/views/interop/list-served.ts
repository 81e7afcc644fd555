import type { RunStep } from '../../interop/run-schema';

/** A resource that a management server of a run serves, beside the step before. */
export interface ServedResource {
  /** Identifies the resource in the list. */
  readonly key: string;
  readonly server: string;
  /** As in "CDS". */
  readonly service: string;
  readonly name: string;
  readonly change: 'added' | 'changed' | 'removed' | 'same';
  /** As indented JSON. Absent: it was not served before the step. */
  readonly before?: string;
  /** As indented JSON. Absent: it is no longer served. */
  readonly after?: string;
}

const changes = ['added', 'changed', 'removed', 'same'] as const;

/** What is served at the end of a step, and what is no longer served since then: changes come first. */
export function listServed(steps: readonly RunStep[], step: number): ServedResource[] {
  const served = new Map<string, ServedResource>();
  for (const each of steps.filter((earlier) => earlier.step <= step)) {
    for (const [key, { after, ...resource }] of served) {
      if (after === undefined) served.delete(key);
      else served.set(key, { ...resource, before: after, after, change: 'same' });
    }
    for (const { server, service, name, json } of each.served ?? []) {
      const key = `${server} ${service} ${name}`;
      const before = served.get(key)?.after;
      const after = json === undefined ? undefined : JSON.stringify(JSON.parse(json), null, 2);
      served.set(key, {
        ...{ key, server, service, name },
        change: after === undefined ? 'removed' : before === undefined ? 'added' : 'changed',
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      });
    }
  }
  return changes.flatMap((change) => [...served.values()].filter((each) => each.change === change));
}
