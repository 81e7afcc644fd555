import type { KnownBug } from '@/lib/known-bugs/known-bugs';

/** A known bug of clients, as in lib/known-bugs/known-bugs.ts, and the chapters that provoke it. */
interface ProvokedBug {
  readonly id: KnownBug['id'];
  /** Name and version of the clients, as in "grpc-go 1.85.0". */
  readonly peers: RegExp;
  readonly chapters: RegExp;
}

const list: readonly ProvokedBug[] = [
  { id: 'frozen-after-fallback', peers: /^grpc-go 1\.(7\d|8[0-5])/, chapters: /^fallback$/ },
  { id: 'stuck-after-nack', peers: /^grpc-go 1\.7[3-9]/, chapters: /^stuck-stream$/ },
  { id: 'unusable-after-re-adding', peers: /^c-core 1\.66/, chapters: /^(usual|(half|not)-recorded)$/ },
  { id: 'parser-exception', peers: /^grpc-java 1\.60/, chapters: /^parser-exception$/ },
  { id: 'ignores-added-fields', peers: /^grpc-js-xds 1\.14/, chapters: /^added-fields$/ },
  // Listeners are updated, and their routes are not.
  {
    id: 'listener-update-unused',
    peers: /^grpc-js-xds 1\.14/,
    chapters: /^(usual|ignore_resource_deletion)$/,
  },
  // go-control-plane and java-control-plane send a rejected response again at once.
  { id: 'nack-storm', peers: /^grpc-go/, chapters: /^crossing$/ },
];

/** The bugs that the chapter provokes in the client. */
export function provokedBugs(peer: string, chapter: string): string[] {
  return list.filter(({ peers, chapters }) => peers.test(peer) && chapters.test(chapter)).map(({ id }) => id);
}

/** Throws unless exactly the bugs that the chapter provokes in the client were shown, each by one vantage at least. */
export function checkBugs(peer: string, chapter: string, shown: ReadonlySet<string>): void {
  const provoked = provokedBugs(peer, chapter);
  const [actual, expected] = [shown, provoked].map((ids) => [...ids].sort().join(', ') || 'none');
  if (actual !== expected) throw new Error(`known bugs: expected ${expected}, got ${actual}`);
}
