/*
 * Two co-allocated requests, each at a home site of its own, and two owners with one node each. Each request needs the nodes
 * of both owners: a home site asks both, claims when both are held, starts when both have acknowledged, and gives all back
 * when one can't be had (docs/protocol.md section 6.6). Request 0 is older. What is proved: a request starts only with all
 * its parts; nothing stays held; no state is a deadlock; and the older request always starts (tests/models/README.md).
 *
 * Time isn't modelled: an offer that runs out, and a turn that an owner keeps for the older request, end at any moment,
 * a limited number of times.
 */
c_decl {
  \#include <stdlib.h>
  static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
  }
}
byte expiries; /* offers that run out, and turns that end, though nothing is wrong */
byte planted;  /* a mistake put in to show that it is found: */
#define YOUNGER_KEEPS 1   /* an owner never takes held nodes from a younger request, and keeps no turn */
#define STARTED_EARLY 2   /* a home site starts without waiting until its claims are acknowledged */
#define PART_KEPT 3       /* a home site gives back only the part that it was refused */
#define TURN_NOT_KEPT 4   /* a younger request gets what was taken from it for the older one */

#define NONE 2
#define LINK(owner, request) ((owner) * 2 + (request))

mtype = { Ask, Grant, Reject, Claim, Claimed, Release, Ended }
mtype = { nothing, asked, held, claimed, refused }

/* The number of the lease tells an end from that of an earlier lease. */
/* One queue an owner, so that no message waits for ever: kind, request, lease. */
chan to_owner[2] = [8] of { mtype, byte, byte };
chan to_home[4] = [4] of { mtype, byte };

bool started[2], done[2];
byte holder[2] = NONE; /* by owner: which request has the node */
bool is_claimed[2];

proctype Owner(byte me) {
  byte first = NONE; /* an older request found the node held: younger ones get nothing */
  byte lease = 0, what, r;
again:
  do
  :: to_owner[me]?Ask,r,_ -> goto ask
  :: to_owner[me]?Claim,r,what -> goto claim
  :: to_owner[me]?Release,r,what -> goto release
  :: atomic {
       expiries > 0 && holder[me] != NONE && !is_claimed[me] -> /* the offer runs out */
       expiries--;
       to_home[LINK(me, holder[me])]!Ended,lease;
       holder[me] = NONE
     }
  :: atomic { expiries > 0 && first != NONE -> expiries--; first = NONE }
  :: done[0] && first == 0 -> first = NONE /* nobody waits for that turn any more: it runs out */
  :: done[0] && done[1] && holder[me] == NONE -> break
  od;
  goto over;

ask:
  atomic {
    if
    :: holder[me] == NONE && (first >= r || planted == TURN_NOT_KEPT) ->
       holder[me] = r;
       is_claimed[me] = false;
       lease = (lease + 1) % 8;
       to_home[LINK(me, r)]!Grant,lease
    :: else ->
       if
       :: planted != YOUNGER_KEEPS && holder[me] != NONE && !is_claimed[me] && r < holder[me] ->
          first = r;
          to_home[LINK(me, holder[me])]!Ended,lease;
          holder[me] = NONE
       :: else
       fi;
       to_home[LINK(me, r)]!Reject,0
    fi
  }
  goto again;

claim:
  atomic {
    if
    :: holder[me] == r && what == lease -> is_claimed[me] = true; to_home[LINK(me, r)]!Claimed,lease
    :: else -> to_home[LINK(me, r)]!Ended,what
    fi
  }
  goto again;

release:
  atomic {
    if
    :: holder[me] == r && what == lease -> holder[me] = NONE; is_claimed[me] = false
    :: else
    fi
  }
  goto again;
over:
  skip
}

/* An answer of one owner. An end of an earlier lease changes nothing. */
inline hear(o) {
  atomic {
    to_home[LINK(o, me)]?kind,what ->
    if
    :: kind == Grant -> part[o] = held; number[o] = what
    :: kind == Reject -> part[o] = refused
    :: kind == Claimed && number[o] == what -> part[o] = claimed
    :: kind == Ended && number[o] == what && part[o] != nothing && part[o] != asked -> part[o] = refused
    :: else
    fi
  }
}

proctype Home(byte me) {
  mtype part[2], kind;
  byte number[2], what, o;
try:
  atomic {
    part[0] = asked; part[1] = asked;
    number[0] = 9; number[1] = 9; /* of no lease */
    to_owner[0]!Ask,me,0;
    to_owner[1]!Ask,me,0
  }
  do
  :: part[0] == asked || part[1] == asked ->
     if
     :: nempty(to_home[LINK(0, me)]) -> hear(0)
     :: nempty(to_home[LINK(1, me)]) -> hear(1)
     fi
  :: else -> break
  od;
  if
  :: part[0] == held && part[1] == held ->
     atomic { to_owner[0]!Claim,me,number[0]; to_owner[1]!Claim,me,number[1] }
  :: else -> goto give_back
  fi;
  do
  :: planted == STARTED_EARLY -> break
  :: part[0] == refused || part[1] == refused -> goto give_back
  :: part[0] == claimed && part[1] == claimed -> break
  :: else ->
     if
     :: nempty(to_home[LINK(0, me)]) -> hear(0)
     :: nempty(to_home[LINK(1, me)]) -> hear(1)
     fi
  od;
  atomic {
    started[me] = true;
    assert(holder[0] == me && is_claimed[0] && holder[1] == me && is_claimed[1]) /* all parts, or no start */
  }
  atomic {
    done[me] = true;
    to_owner[0]!Release,me,number[0];
    to_owner[1]!Release,me,number[1]
  }
  goto end;

give_back:
  o = 0;
  do
  :: o < 2 ->
     if
     :: (part[o] == held || part[o] == claimed) && planted != PART_KEPT -> to_owner[o]!Release,me,number[o]
     :: else
     fi;
     o++
  :: else -> break
  od;
  goto try;
end:
  /* What is under way still comes. */
  do
  :: to_home[LINK(0, me)]?_,_
  :: to_home[LINK(1, me)]?_,_
  :: done[0] && done[1] && holder[0] == NONE && holder[1] == NONE -> break
  od
}

init {
  atomic {
    expiries = 0; planted = 0;
    c_code { now.expiries = setting("EXPIRIES", 0); now.planted = setting("PLANTED", 0); };
    run Owner(0); run Owner(1); run Home(0); run Home(1)
  }
}

/* The older request starts, however the younger one tries. */
ltl older_starts { <> started[0] }
