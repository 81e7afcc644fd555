import type { RunStep } from '@/lib/interop/run-schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { CaseServer } from './case-server';

type Served = NonNullable<RunStep['served']>[number];

/** Compares what the management servers of a run serve with what they served before. */
export class ServedResources {
  #before: ReadonlyMap<string, Served> = new Map();

  /** The resources that are new, changed or no longer served since the last call. */
  changes(servers: ReadonlyMap<string, Pick<CaseServer, 'served'>>): Served[] {
    const now = new Map<string, Served>();
    for (const [server, { served }] of servers)
      for (const { typeUrl, name, json } of served)
        now.set(`${server} ${typeUrl} ${name}`, {
          ...{ server, service: formatResourceType(typeUrl), name, json: JSON.stringify(json) },
        });
    const changed = [...now].filter(([key, { json }]) => this.#before.get(key)?.json !== json);
    const removed = [...this.#before].filter(([key]) => !now.has(key));
    this.#before = now;
    return [
      ...changed.map(([, each]) => each),
      ...removed.map(([, { server, service, name }]) => ({ server, service, name })),
    ];
  }
}
