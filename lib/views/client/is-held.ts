import type { ResourceState } from '../../observation/resource-state';

type Held = Pick<ResourceState, 'hash' | 'clientStatus' | 'isStatic' | 'versionInfo'>;

/** Returns true if the client itself reports content of the resource: a body, a version that it accepted, or an ACK. */
export function isHeld({ hash, clientStatus, isStatic, versionInfo }: Held, isOwn: boolean): boolean {
  return isOwn && (hash !== null || versionInfo !== '' || clientStatus === 'ACKED' || isStatic);
}
