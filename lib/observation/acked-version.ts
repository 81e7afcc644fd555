import type { ResourceState, TypeVersion } from './resource-state';

interface Report {
  readonly typeVersions?: readonly TypeVersion[];
}

/** Limits the types of one report. The oldest are dropped. */
const typesKept = 200;

/** The version that the client ACKed last; of a resource that is not ACKED, the last one that it accepted. */
export function ackedVersionOf(
  { typeUrl, versionInfo, clientStatus, hasOwnVersion, isStatic }: ResourceState,
  { typeVersions }: Report,
): string {
  if (typeVersions === undefined || clientStatus !== 'ACKED' || hasOwnVersion === true || isStatic)
    return versionInfo;
  return findTypeVersion(typeVersions, typeUrl) || versionInfo;
}

export function contentVersionOf({ contentVersion, versionInfo }: ResourceState): string {
  return contentVersion ?? versionInfo;
}

/** Unchanged content keeps the version with which it came, whatever version the source reports with it. */
export function keepContentVersion(row: ResourceState, before: ResourceState | undefined): ResourceState {
  if (before === undefined || row.hash === null || row.hash !== before.hash) return row;
  const contentVersion = contentVersionOf(before);
  return contentVersion === '' || contentVersion === row.versionInfo ? row : { ...row, contentVersion };
}

/** True if the version of the type applies to the row, as in ackedVersionOf(). */
export function followsType({ clientStatus, hasOwnVersion }: ResourceState): boolean {
  return clientStatus === 'ACKED' && hasOwnVersion !== true;
}

/** Returns the same row if it has the version. Its content, and the time of its last change, remain. */
export function withOwnVersion(row: ResourceState, versionInfo: string): ResourceState {
  if (row.hasOwnVersion === true && row.versionInfo === versionInfo) return row;
  const { contentVersion: _, ...rest } = row;
  const contentVersion = contentVersionOf(row);
  return {
    ...rest,
    versionInfo,
    hasOwnVersion: true,
    ...(contentVersion !== versionInfo && { contentVersion }),
  };
}

/** Returns the same row if the version of the type applies to it. */
export function withTypeVersion(row: ResourceState): ResourceState {
  if (row.hasOwnVersion !== true) return row;
  const { contentVersion: _, hasOwnVersion: _own, ...rest } = row;
  return { ...rest, versionInfo: contentVersionOf(row) };
}

export function findTypeVersion(versions: readonly TypeVersion[], typeUrl: string): string | undefined {
  return versions.find((each) => each.typeUrl === typeUrl)?.versionInfo;
}

export function mergeTypeVersions(
  known: readonly TypeVersion[] = [],
  changed: readonly TypeVersion[],
): readonly TypeVersion[] {
  const types = new Set(changed.map(({ typeUrl }) => typeUrl));
  return [...known.filter(({ typeUrl }) => !types.has(typeUrl)), ...changed]
    .filter(({ versionInfo }) => versionInfo !== '')
    .slice(-typesKept);
}
