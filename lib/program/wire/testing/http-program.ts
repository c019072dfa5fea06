/** A program that asks for one charge and says so. Argument: port. */
const reply = await fetch(`http://127.0.0.1:${process.argv[2]}/charges`, { method: 'POST', body: 'a' });
console.log(reply.status, await reply.text());

export {};
