/** The minor release of an xDS client: "1.85.0" is 1.85. */
export interface ClientRelease {
  readonly major: number;
  readonly minor: number;
}

/**
 * The release in envoy.config.core.v3.Node.user_agent_version, undefined if there is none. C-core writes the version of
 * its core first: "C-core 58.0.0 Python 1.85.1" is 1.85.
 */
export function findClientRelease(userAgentVersion: string): ClientRelease | undefined {
  const last = userAgentVersion.trim().split(/\s+/).at(-1) ?? '';
  const [, major, minor] = /^v?(\d{1,4})\.(\d{1,4})(?:\.|$)/.exec(last) ?? [];
  return major === undefined || minor === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor) };
}

export function isReleaseWithin(
  release: ClientRelease,
  [from, to]: readonly [from: ClientRelease, to: ClientRelease],
): boolean {
  return compareReleases(from, release) <= 0 && compareReleases(release, to) <= 0;
}

function compareReleases(a: ClientRelease, b: ClientRelease): number {
  return a.major - b.major || a.minor - b.minor;
}
