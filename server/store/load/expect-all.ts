/** Only one process records load at a time: one that has ceased to be it must not change what another one records. */
export function expectAll(what: string, expected: number, found: bigint): void {
  if (BigInt(expected) !== found)
    throw new Error(`expected ${expected} ${what}, got ${found}: another process records load as well`);
}
