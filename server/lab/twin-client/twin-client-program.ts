/**
 * The gRPC client of a twin, in its own process because grpc-js-xds reads its bootstrap from the environment, and can crash. It
 * sends RPCs one after the other, and writes how each ended to its standard output.
 */
import { createInterface } from 'node:readline';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';

/** The first line of the standard input, as JSON. */
export interface TwinRpcs {
  readonly target: string;
  /** The authority of the channel, by which the virtual host is chosen. */
  readonly authority: string;
  readonly path: string;
  /** Values of names that end in "-bin" are in base64. */
  readonly metadata: readonly (readonly [name: string, value: string])[];
  readonly times: number;
  readonly deadlineMs: number;
}

const asBytes = (bytes: Buffer): Buffer => bytes;

async function main({ target, authority, path, metadata, times, deadlineMs }: TwinRpcs): Promise<void> {
  register();
  const client = new Client(target, credentials.createInsecure(), { 'grpc.default_authority': authority });
  for (let sent = 0; sent < times; sent++) await send(client, { path, metadata, deadlineMs });
}

function send(
  client: Client,
  { path, metadata, deadlineMs }: Pick<TwinRpcs, 'path' | 'metadata' | 'deadlineMs'>,
): Promise<void> {
  const fields = new Metadata();
  for (const [name, value] of metadata)
    fields.add(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  const deadline = Date.now() + deadlineMs;
  return new Promise((resolve) => {
    let backend: number | undefined;
    const onEnd = (error: ServiceError | null): void => {
      const { code, details } = error ?? { code: status.OK, details: '' };
      process.stdout.write(`${JSON.stringify({ code, details, backend })}\n`, () => resolve());
    };
    const call = client.makeUnaryRequest(
      path,
      asBytes,
      asBytes,
      Buffer.alloc(0),
      fields,
      { deadline },
      onEnd,
    );
    call.on('metadata', (header) => {
      const [port] = header.get('xdscope-backend');
      if (port !== undefined) backend = Number(port);
    });
  });
}

const input = createInterface({ input: process.stdin });
// The parent process ended.
input.once('close', () => process.exit(0));
input.once('line', (line) => void main(JSON.parse(line)));
