import { writeSync } from 'node:fs';
import { storeFormat } from '../../../store-format';
import { RecorderError } from '../recorder-error';
import { loadFormat } from './load-schema';
import { checkDatabase, damageFoundCode } from './open-database';
import { version1 } from './version-1-format';

// Arguments: the path of the file, and FileFormat.what.
const [file = '', what] = process.argv.slice(2);
const format = [version1, loadFormat, loadFormat.earlier, storeFormat].find((each) => each.what === what);
if (format === undefined) throw new RecorderError('NO_FORMAT', `expected a format, got ${what}`);
try {
  checkDatabase(file, format);
} catch (error) {
  if (!(error instanceof RecorderError)) throw error;
  const { code, message, rawMessage } = error;
  writeSync(process.stdout.fd, JSON.stringify({ code, message, rawMessage }));
  process.exit(damageFoundCode);
}
// Closing the database would copy its write-ahead log into it.
process.exit();
