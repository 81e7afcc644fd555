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
