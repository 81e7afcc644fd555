import { redactMessage } from './codec/secrets/redact-message';
import { log } from './logger';

type Write = typeof process.stdout.write;

/**
 * From now on no secret that is recognised by its value is printed: everything that goes to stdout and stderr, of this
 * thread and of the others, of pages and of libraries, passes one function. So do warnings and the error that ends the
 * process, which Node.js prints by itself, past the streams.
 */
export function redactOutput(): void {
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
}

function redactChunk(chunk: string | Uint8Array): string | Uint8Array {
  if (typeof chunk === 'string') return redactMessage(chunk);
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  const redacted = redactMessage(text);
  return redacted === text ? chunk : Buffer.from(redacted, 'latin1');
}
