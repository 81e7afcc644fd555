import path from 'node:path';
import type { HeaderConfig } from '../../../transport/grpc/credentials-config';
import { isMetadataKey } from '../../../transport/grpc/metadata-key';
import { SettingError } from '../../source-kind/setting-error';

/** Request metadata: names -> values, or "@PATH" for the content of a file. Throws SettingError. */
export function readHeaders(
  headers: Readonly<Record<string, string>>,
  where: string,
  cwd: string,
): HeaderConfig[] {
  return Object.entries(headers).map(([name, stated]) => {
    if (!isMetadataKey(name)) {
      throw new SettingError(
        where,
        `expected a metadata key of lower-case letters, digits, "_", "-" and ".", got ${JSON.stringify(name)}`,
      );
    }
    const kind = 'header' as const;
    return stated.startsWith('@')
      ? { kind, name, file: path.resolve(cwd, stated.slice(1)) }
      : { kind, name, value: stated };
  });
}

/** "name=value" and "name=@file" of a flag. The message of an error does not contain the value. Throws SettingError. */
export function splitHeaders(stated: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    stated.map((each) => {
      const at = each.indexOf('=');
      if (at > 0) return [each.slice(0, at), each.slice(at + 1)];
      throw new SettingError(flag, 'expected name=value or name=@file, got a text without "=" or a name');
    }),
  );
}
