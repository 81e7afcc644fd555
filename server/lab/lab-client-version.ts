import { createRequire as createRequireFrom } from 'node:module';

/** The version of grpc-js-xds, of which the gRPC clients of xdscope are programs. */
export function labClientVersion(): string {
  const { version } = createRequireFrom(import.meta.url)('@grpc/grpc-js-xds/package.json') as {
    readonly version: string;
  };
  return version;
}
