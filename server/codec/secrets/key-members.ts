/** Private members of a JWK: RFC 7518, 6.2.2, 6.3.2 and 6.4.1. */
const privateMembers: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

export function isPrivateKeyMember(name: string): boolean {
  return privateMembers.has(name);
}
