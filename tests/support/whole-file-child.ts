import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { streamFileAtomically, writeFileAtomically } from '@/server/atomic-write';

/** Replaces two files, one at once and one in pieces. argv: their paths. */
const [whole = '', streamed = ''] = process.argv.slice(2);
writeFileAtomically(whole, 'new');
await streamFileAtomically(streamed, Readable.from(['new']), createGzip());
