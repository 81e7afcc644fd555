import { clientOf, type Profile, profileSet } from '../xds/profile';
import { CDS, findResourceType, LDS } from '../xds/resource-type';

/** Measured with Envoy 1.36.2 and 1.40.0, with one connection and one request open during each removal. */
const ofEnvoy: ReadonlyMap<string, string> = new Map([
  [
    LDS.typeUrl,
    'Accepts no new connection from then on, also while a listener that replaces it on its address warms; open connections drain (--drain-time-s, 600 s by default).',
  ],
  [
    CDS.typeUrl,
    'Removes it at once, also while clusters that replace it warm: new requests of routes that name it are answered with 503, requests in progress are completed.',
  ],
]);

/** The bootstrap and the environment of a gRPC client decide whether it keeps the resource, and CSDS reports neither. */
const keeps = 'unless ignore_resource_deletion (gRFC A53) is in its bootstrap';
const keepsByEnvironment =
  'unless ignore_resource_deletion (gRFC A53) is in its bootstrap or GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING (gRFC A88) in its environment';
const withDataErrors: ReadonlySet<Profile> = new Set(['core-1.85', 'java-1.85']);
const withoutReturn = profileSet('core-1.53', 'core-1.55', 'core-1.56', 'core-1.68');

/** What a client does when the management server removes a listener or cluster that it uses; undefined for other types. */
export function describeRemoval(profile: Profile, typeUrl: string): string | undefined {
  if (findResourceType(typeUrl)?.absenceDeletes !== true) return undefined;
  const client = clientOf(profile);
  if (client === 'envoy') return ofEnvoy.get(typeUrl);
  const what = typeUrl === LDS.typeUrl ? 'RPCs to the target fail' : 'RPCs of routes that name it fail';
  const drops = `Drops it, and ${what}, ${withDataErrors.has(profile) ? keepsByEnvironment : keeps}.`;
  if (typeUrl !== LDS.typeUrl) return drops;
  if (client === 'node') return `${drops} A listener with inline routes that is added again stays unusable.`;
  if (!withoutReturn.has(profile)) return drops;
  return `${drops} A listener that is added again unchanged stays unusable until its content changes (1.53 to 1.69).`;
}
