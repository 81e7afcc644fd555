import { resourceKey } from '@/lib/observation/client-state';
import { isTrouble } from '@/lib/validate/reactions';
import type { CellVerdict, Check } from '@/lib/views/check/schema';
import type { Profile } from '@/lib/xds/profile';
import { requestsType } from '@/lib/xds/requested-types';
import { formatResourceType } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { EnvoyVerdict } from '../../envoy-binary/envoy-validator';
import type { CheckedBody, CheckedInput } from '../../validate/check-input';
import type { Fleet, findHolders } from './fleet-profiles';

export type Checked = Extract<CheckedInput, { readonly ok: true }>;

/** The key under which clients report the resource; a v2 resource has that of its v3 type. */
export function heldKey(typeUrl: string, name: string): string {
  return resourceKey({ typeUrl: readTypeUrl(typeUrl).typeUrl, name });
}

/** A row for each listed resource, with a verdict for each profile of the fleet. */
export function buildMatrix(
  checked: Checked,
  { columns, clients, unidentified, profileOf }: Fleet,
  holders: Awaited<ReturnType<typeof findHolders>>,
  asked: ReadonlyMap<number, EnvoyVerdict>,
): Omit<Check, 'dangling' | 'danglingTotal' | 'against'> {
  const { resources, bodies, shown, problems, problemsTotal } = checked;
  const cellOf = (verdicts: CheckedBody['verdicts'], typeUrl: string, profile: Profile): CellVerdict =>
    requestsType(profile, readTypeUrl(typeUrl).typeUrl)
      ? (verdicts[profile] ?? 'NO_FAULT_FOUND')
      : 'NOT_REQUESTED';
  const isRejecting = (cell: CellVerdict): boolean => cell !== 'NOT_REQUESTED' && isTrouble(cell);
  const wouldReject = columns
    .filter(({ profile }) =>
      bodies.some(({ verdicts, body }) => isRejecting(cellOf(verdicts, body.typeUrl, profile))),
    )
    .reduce((sum, column) => sum + column.clients, 0);
  const holdersRejecting = new Set<string>();
  const listed = resources.map(({ verdicts, findings, unchecked, ...resource }) => {
    const cells = columns.map(({ profile }) => cellOf(verdicts, resource.typeUrl, profile));
    const held = holders?.get(heldKey(resource.typeUrl, resource.name));
    const rejecting = (held ?? []).filter((clientId) => {
      const profile = profileOf.get(clientId);
      return profile !== undefined && isRejecting(cellOf(verdicts, resource.typeUrl, profile));
    });
    for (const clientId of rejecting) holdersRejecting.add(clientId);
    return {
      ...resource,
      service: formatResourceType(resource.typeUrl),
      cells,
      wouldReject: columns.reduce(
        (sum, column, index) => sum + (isRejecting(cells[index] ?? 'ACK') ? column.clients : 0),
        0,
      ),
      ...(held && { holders: { clients: held.length, wouldReject: rejecting.length } }),
      ...(asked.has(resource.index) && { asked: asked.get(resource.index) }),
      findings: [...findings],
      ...(unchecked.length > 0 && {
        unchecked: unchecked.map((part) => ({ ...part, clients: [...part.clients] })),
      }),
    };
  });
  return {
    columns: columns.map((column) => ({ ...column, named: [...column.named] })),
    total: bodies.length,
    resources: listed,
    fleet: {
      ...{ clients, unidentified, wouldReject },
      ...(holders && { holdersWouldReject: holdersRejecting.size }),
    },
    ...(shown && { shown }),
    problems: problems.map((problem) => ({ ...problem })),
    problemsTotal,
  };
}
