import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { streamWholeFile, writeWholeFile } from '@/server/whole-file';

/** Replaces two files, one at once and one in pieces. argv: their paths. */
const [whole = '', streamed = ''] = process.argv.slice(2);
writeWholeFile(whole, 'new');
await streamWholeFile(streamed, Readable.from(['new']), createGzip());
