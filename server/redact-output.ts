import { redactOutputText } from './codec/secrets/redact-message';
import { log } from './logger';

type Write = typeof process.stdout.write;

/**
 * Redacts secrets that are recognised by value in all output on stdout and stderr, of all threads, pages and libraries.
 * It also covers warnings and the error that ends the process, which Node.js prints without these streams. Returns a
 * function that writes a text to stdout as it is.
 */
export function redactOutput(): (text: string) => void {
  const writeStdout: Write = process.stdout.write.bind(process.stdout);
  for (const stream of [process.stdout, process.stderr]) {
    const write: Write = stream.write.bind(stream);
    stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) =>
      Reflect.apply(write, stream, [redactChunk(chunk), ...rest])) as Write;
  }
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    process.stderr.write(`(node:${process.pid}) ${name}: ${message}\n`);
  });
  process.on('uncaughtException', (error) => {
    log('error', 'process', error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  });
  return (text) => void writeStdout(text);
}

function redactChunk(chunk: string | Uint8Array): string | Uint8Array {
  if (typeof chunk === 'string') return redactOutputText(chunk);
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  const redacted = redactOutputText(text);
  return redacted === text ? chunk : Buffer.from(redacted, 'latin1');
}
