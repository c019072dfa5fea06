/** A program that sets one key and says so. Argument: port. */
import { command, RedisClient } from './redis-server.ts';

const client = new RedisClient(Number(process.argv[2]));
await client.expect(command('SET', 'key', 'a'), '+OK\r\n');
console.log('written');
client.socket.end();
