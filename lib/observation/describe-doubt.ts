import { findResourceType, formatResourceType } from '../xds/resource-type';
import type { Doubt } from './effect-stage';
import type { ResourceKey } from './resource-state';

/** Each text states which setting decides what the client runs, and which evidence would show it. */
const texts: Readonly<Record<Doubt, string>> = {
  deleted:
    'was deleted by the management server. ignore_resource_deletion (gRFC A53) or the data error handling of gRFC A88 in the bootstrap and environment of the client decide whether it keeps the accepted config, and neither is on the wire',
  rejected:
    'was rejected. fail_on_data_errors (gRFC A88) in the bootstrap of the client decides whether it keeps the accepted config, and is not on the wire',
  'added-again':
    'was deleted and added again. This client is known to ACK such a resource without using it, until it requests what the resource refers to or, in C-core, until the content of its routes changes',
  replaced:
    'replaced another config, which stays in use until the client has received what the new one refers to. When the client changes over is not on the wire',
  'not-recorded':
    'may have changed while the tap did not record its stream, and no message since then shows its state',
  'without-endpoints':
    'was not accepted since its cluster changed. Envoy replaces a changed cluster by one without endpoints when it rejects a response with endpoints, unless it has applied these before the wrong ones, and this order is not on the wire',
  configured: 'is configured in a bootstrap file, which does not state whether an Envoy runs it',
};

const evidences: Partial<Record<Doubt, string>> = {
  replaced: 'The admin interface or CSDS',
  'without-endpoints': 'The admin interface',
  'not-recorded': 'CSDS or the admin interface',
  configured: 'The admin interface',
};

/** As in 'Listener "shop" was deleted ... CSDS of the client would show it.' */
export function describeDoubt({ typeUrl, name }: ResourceKey, doubt: Doubt): string {
  const noun = findResourceType(typeUrl)?.noun ?? formatResourceType(typeUrl);
  const evidence = evidences[doubt] ?? 'CSDS';
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} "${name}" ${texts[doubt]}. ${evidence} of the client would show it.`;
}
