/**
 * The gRPC client of a twin, in its own process because grpc-js-xds reads its bootstrap from the environment, and can crash. It
 * sends RPCs one after the other, and reports how each ended to its parent.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';

/** The argument of the program, as JSON. */
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
  return new Promise((resolve) => {
    const deadline = Date.now() + deadlineMs;
    const call = client.makeUnaryRequest(
      path,
      asBytes,
      asBytes,
      Buffer.alloc(0),
      fields,
      { deadline },
      (error) => {
        const { code, details } = error ?? { code: 0, details: '' };
        process.send?.({ code, details, peer: call.getPeer() }, () => resolve());
      },
    );
  });
}

// The parent process ended.
process.on('disconnect', () => process.exit(0));
await main(JSON.parse(process.argv[2] ?? ''));
